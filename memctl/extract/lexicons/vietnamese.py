"""Vietnamese cues. Data."""

from __future__ import annotations

from memctl.extract.lexicons.base import Lexicon

VIETNAMESE = Lexicon(
    code="vi",
    words="""khong duoc cua cho voi cac nhung mot nay khi neu tu den trong ngoai
    tren duoi truoc nhu hoac boi phai luon bao gio chung toi minh
    dung viet tra loi bang tieng tat ca moi nguoi lam sao nao dau bay hom ngay mai nua
    roi da rat qua vao xuong thay tep luu chay""",
    lasting="từ giờ | từ nay | từ nay về sau | từ bây giờ | kể từ nay | kể từ bây giờ | "
    "từ hôm nay | "
    "từ ngày mai | trong tương lai | lần sau | về sau",
    always="luôn | luôn luôn | lúc nào cũng | mỗi lần | mọi lúc | mặc định | theo mặc định | "
    "nói chung | ở mọi nơi | không có ngoại lệ",
    likes="tôi thích | mình thích | em thích | anh thích | tôi không thích | mình không thích | "
    "tôi ghét | mình ghét | tôi muốn ~ luôn | tôi không muốn | mình không muốn | "
    "tôi ưu tiên | tôi không cần | mình không cần | tôi chỉ cần | tôi chuộng",
    decides="đã quyết định | chúng tôi quyết định | chúng ta quyết định | quyết định | đã chọn | "
    "chúng ta chọn | chúng tôi chọn | đã thống nhất | thống nhất | đã chốt | chốt | "
    "chuyển sang | đã chuyển sang | giữ nguyên | bỏ | không dùng nữa | không còn dùng | "
    "thay thế | sẽ dùng | sẽ sử dụng",
    uses="chúng tôi dùng | chúng ta dùng | chúng tôi sử dụng | chúng ta sử dụng | mình dùng | "
    "bọn mình dùng | chúng tôi lưu | chúng ta lưu | lưu ~ trong | chạy trên | chạy trong | "
    "được lưu | triển khai trên | viết bằng",
    forbids="không bao giờ | đừng bao giờ | tuyệt đối không | tuyệt đối đừng | đừng | cấm | "
    "nghiêm cấm | không được | không được phép | chưa ~ thì không | không ~ nếu chưa | "
    "không ~ khi chưa | không ~ mà không | chỉ được | chỉ ~ sau khi | chớ",
    duties="phải | bắt buộc | cần phải | nhất thiết | yêu cầu | ít nhất | tối thiểu | tối đa | "
    "nhiều nhất | cần ~ phê duyệt | quy tắc là | nên luôn",
    remembers="hãy nhớ | nhớ rằng | nhớ là | ghi nhớ | đừng quên | lưu ý | ghi chú lại",
    orders="hãy | viết | trả lời | dùng | sử dụng | hỏi | giải thích | chạy | giữ | đưa | tránh | "
    "đặt tên | định dạng | báo",
    manner="trả lời | câu trả lời | giải thích | bình luận | chú thích | commit* | "
    "tin nhắn commit | thông điệp commit | bằng tiếng việt | bằng tiếng anh | tiếng việt | "
    "tiếng anh | emoji | gạch đầu dòng | tóm tắt | ngắn gọn | hỏi tôi | hỏi mình",
    everywhere="trong mọi dự án | trong tất cả ~ dự án | ở mọi dự án | cho mọi dự án | "
    "mọi dự án | tất cả ~ repo",
    reasons="vì | bởi vì | bởi | do | để | nếu không | kẻo | tại vì",
    over="thay vì | thay cho | chứ không | chứ không phải | hơn là | không còn",
    fleeting="lần này | tạm thời | tạm | hiện tại | lúc này | bây giờ thì | hôm nay thôi | "
    "chỉ hôm nay | trong commit này | trong pr này | trong nhánh này | trong file này | "
    "trong tệp này | chỉ ở đây | để thử",
    tasks="sửa | thêm | xem | kiểm tra | tạo | xóa | xoá | đổi tên | cập nhật | có thể | "
    "giúp tôi | giúp mình | tìm | phân tích | tiếp tục | làm tiếp",
    questions="tại sao | vì sao | cái nào | ai | ở đâu | khi nào | bao nhiêu | làm sao | "
    "làm thế nào | "
    "có phải | là gì",
    hedges="có lẽ | chắc là | có thể là | tôi nghĩ | không chắc",
    troubles="lỗi | bị lỗi | không chạy | không hoạt động | hỏng | treo | chậm | thất bại | "
    "chạy được",
    shared="can me do to no on commit commits test tests branch file code fix run",
)
